"""Resource maps of audio and video."""
