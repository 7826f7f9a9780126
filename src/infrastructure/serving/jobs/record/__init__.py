"""Jobs as the record of all processes has them."""
