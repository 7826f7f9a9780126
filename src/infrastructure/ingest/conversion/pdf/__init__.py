"""PDF conversion; ``layout`` names the steps in order, ``convert`` loads docling."""
