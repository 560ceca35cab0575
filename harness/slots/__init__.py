"""Typed values out of spoken words, one file per kind, English and Chinese. Pure: text in, frozen values with their words out."""
