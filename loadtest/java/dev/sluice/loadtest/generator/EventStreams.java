package dev.sluice.loadtest.generator;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Readers of server-sent events: each has a connection, and asks for the next stream when one has
 * ended. They look for the beginnings and ends of events only, so that most of the machine is left
 * for the server.
 */
public final class EventStreams {
  private static final byte[] EVENT = "data:".getBytes(US_ASCII);
  private static final byte[] END = "\r\n0\r\n\r\n".getBytes(US_ASCII);
  private static final int BUFFER = 1 << 16;

  private EventStreams() {}

  /**
   * What the readers of one round saw.
   *
   * @param rate events per second of all of them together
   * @param firstMicros the median time from a request to its first event
   */
  public record Streamed(double rate, double firstMicros) {}

  /**
   * Reads for as long as a round is.
   *
   * @param request asks for a stream
   */
  public static Streamed read(int port, Request request, int readers, Duration round) {
    return read(port, Collections.nCopies(readers, request), round);
  }

  /**
   * Reads for as long as a round is.
   *
   * @param requests of one reader each
   */
  public static Streamed read(int port, List<Request> requests, Duration round) {
    try (ExecutorService threads = Executors.newFixedThreadPool(requests.size())) {
      List<CompletableFuture<Reader>> reading = new ArrayList<>();
      for (Request request : requests) {
        reading.add(CompletableFuture.supplyAsync(() -> read(port, request, round), threads));
      }
      List<Reader> read = reading.stream().map(CompletableFuture::join).toList();
      return new Streamed(
          read.stream().mapToDouble(Reader::rate).sum(),
          Measurement.median(read, reader -> Measurement.median(reader.firsts, first -> first)));
    }
  }

  private static Reader read(int port, Request request, Duration round) {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      var reader = new Reader(socket, request);
      reader.readFor(round);
      return reader;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads one stream after the other. */
  private static final class Reader {
    private final Socket socket;
    private final byte[] request;
    private final byte[] buffer = new byte[BUFFER];
    private final List<Double> firsts = new ArrayList<>();
    private long events;
    private double seconds;

    /** How many bytes of what is looked for have just been seen. */
    private int ofEvent;

    private int ofEnd;

    Reader(Socket socket, Request request) {
      this.socket = socket;
      this.request =
          "POST %s HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n%s"
              .formatted(
                  request.path(), request.body().length, new String(request.body(), US_ASCII))
              .getBytes(US_ASCII);
    }

    double rate() {
      return events / seconds;
    }

    void readFor(Duration round) throws IOException {
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < round.toNanos()) {
        readOne();
      }
      seconds = (System.nanoTime() - begin) / 1e9;
    }

    private void readOne() throws IOException {
      InputStream in = socket.getInputStream();
      long begin = System.nanoTime();
      long before = events;
      socket.getOutputStream().write(request);
      boolean ended = false;
      while (!ended) {
        int count = in.read(buffer);
        if (count < 0) {
          throw new IOException("the server closed a stream after " + events + " events");
        }
        long eventsBefore = events;
        ended = look(count);
        if (eventsBefore == before && events > before) {
          firsts.add((System.nanoTime() - begin) / 1e3);
        }
      }
      if (events == before) {
        throw new IOException("a stream had no event");
      }
    }

    /** Whether the stream's end is among these bytes. */
    private boolean look(int count) {
      for (int i = 0; i < count; i++) {
        ofEvent = matched(EVENT, ofEvent, buffer[i]);
        if (ofEvent == EVENT.length) {
          events++;
          ofEvent = 0;
        }
        ofEnd = matched(END, ofEnd, buffer[i]);
        if (ofEnd == END.length) {
          ofEnd = 0;
          return true;
        }
      }
      return false;
    }

    /** Enough of a search for texts that do not begin again within themselves. */
    private static int matched(byte[] text, int before, byte next) {
      if (text[before] == next) {
        return before + 1;
      }
      return text[0] == next ? 1 : 0;
    }
  }
}
