"""Adapters of the model ports: ONNX sessions, downloads."""
