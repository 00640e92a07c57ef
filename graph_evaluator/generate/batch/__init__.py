"""The Batch API: half the price, within a day; a kill at any moment neither loses a batch nor
submits it twice.
"""
