"""Citation metadata, locators, page labels and page ranges."""
