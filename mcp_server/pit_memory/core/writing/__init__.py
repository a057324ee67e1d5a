"""What somebody writes down: drafts, approvals, published text, receipts."""
