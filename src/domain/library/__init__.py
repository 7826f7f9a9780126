"""Reference libraries: snapshots, items and the documents they hold."""
