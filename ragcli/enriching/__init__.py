"""What a language model, or recorded extractions, add to an index that stands without them."""
