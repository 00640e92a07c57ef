"""The commands that people type, a folder each; the stages of `dvc.yaml` are beside this folder."""
