"""Resource maps (CiteKit): nodes, addresses, fragments, resolved evidence."""
