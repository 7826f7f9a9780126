"""Evidence files: cut pages, images, recordings and text; highlighted pages."""
