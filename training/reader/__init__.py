"""Train the reader: question and passage in, answer spans and a verdict on claims out."""
