package dev.sluice.scheduling.ratelimit;

/** Right of one instance to run. Of its worker, except {@link #stop} and {@link #close}. */
public interface InstancePermit extends AutoCloseable {
  /** Of an instance that needs no resources. */
  InstancePermit UNLIMITED =
      new InstancePermit() {
        @Override
        public boolean tryAcquire() {
          return true;
        }

        @Override
        public void acquire() {
          // there is nothing to wait for
        }

        @Override
        public void release(boolean ran, boolean again) {
          // nothing is held
        }

        @Override
        public void stop() {
          // nothing waits
        }

        @Override
        public void close() {
          // nothing is registered
        }
      };

  /** Takes the resources if they are free and no other instance goes first; true if held. */
  boolean tryAcquire();

  /** Waits until the resources are held, or {@link #stop} is called. */
  void acquire();

  /**
   * Gives back what is held, if anything is.
   *
   * @param ran whether the instance has run meanwhile
   * @param again whether it has more to run, so that it waits with the others at once; to be
   *     followed by {@link #acquire}, or released
   */
  void release(boolean ran, boolean again);

  /** Ends waiting for good: the instance has nothing to run any more. Any thread. */
  void stop();

  /** Forgets the instance, which runs no more. Any thread. */
  @Override
  void close();
}
