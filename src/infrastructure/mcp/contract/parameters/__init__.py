"""Parameters of the tools, by capability. Agents read the descriptions, and pay for them."""
