"""What a language model, or recorded extractions, add to an index that is complete without them."""
