"""Decode images and look at them: nudity, text, barcodes, hashes, classifiers, blurring."""
