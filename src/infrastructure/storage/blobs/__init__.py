"""Files by name: in a folder, or in an object store that several machines share."""
