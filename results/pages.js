graphEvaluatorPages = {};
