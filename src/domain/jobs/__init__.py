"""Jobs that outlast a request, as a record keeps them."""
