"""The grammar that writes the training conversations of the bundled model."""
