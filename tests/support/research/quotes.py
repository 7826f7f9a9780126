"""Sentences on ponds that agree, deny each other, and are on another matter."""

FALLS = "The cooling beside ponds falls with distance and is gone at one hundred metres."
DENIES = (
    "The cooling beside ponds does not fall with distance and is not gone at one hundred metres."
)
OTHER = "The square grid has the smallest error of all designs at every sample size."
