class ir:
    context = object

    def load_dialects(context):
        pass
