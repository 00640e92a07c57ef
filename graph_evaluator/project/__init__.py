"""Projects: folders of their own with briefs, models, prompts and the pipeline that runs them."""
