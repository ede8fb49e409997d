package dev.sluice.protocol.openai.responses;

/** Takes what comes to the output of a response, in its order. One thread at a time. */
interface OutputListener {
  /** Takes nothing. */
  OutputListener NONE =
      new OutputListener() {
        @Override
        public void added(OutputItem item) {}

        @Override
        public void said(OutputMessage message, String text, String logProbs) {}

        @Override
        public void argued(OutputCall call, String json) {}

        @Override
        public void ended(OutputItem item) {}
      };

  /** There is a further item, in progress. */
  void added(OutputItem item);

  /**
   * Text comes to a message.
   *
   * @param logProbs of its tokens, as elements of a list; may be empty
   */
  void said(OutputMessage message, String text, String logProbs);

  /** Arguments come to a call. */
  void argued(OutputCall call, String json);

  /** Nothing more comes to an item. */
  void ended(OutputItem item);
}
