package dev.sluice.protocol.v1.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.protocol.kserve.http.EventAttributes;
import dev.sluice.protocol.kserve.http.KserveDialect;
import dev.sluice.protocol.tfs.http.TfsDialect;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.ConformanceCase;
import dev.sluice.testing.FakeExchange;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.FakeTfsModels;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PredictFuzzTest {
  private static final int BODIES = 4_000;
  private static final String TOKENS = "{}[]\",:0123456789.eE+-tfnNI\\u\t \u0000\u00ff";

  private final FakePlanes planes = FakeTfsModels.all();
  private final Random random = new Random(20_261_121);
  private final Predict predict =
      new Predict(planes, List.of(new TfsDialect(), new KserveDialect(EventAttributes.DEFAULT)));

  @Test
  void aDamagedBodyIsTheCallersMistakeOrAnotherRequestAndKeepsNoMemory() {
    long blocks = TensorMemory.openBlocks();
    List<byte[]> good =
        Stream.of("rows", "columns", "values", "structure")
            .flatMap(group -> ConformanceCase.of("tfs/" + group).stream())
            .map(each -> each.data().path("body").asText().getBytes(StandardCharsets.UTF_8))
            .toList();
    for (int i = 0; i < BODIES; i++) {
      byte[] damaged = damage(good.get(i % good.size()), good);
      String model = i % 3 == 0 ? "half_plus_two" : "typed_io";
      decode(damaged, model);
    }
    assertThat(planes.leases()).isZero();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocks);
  }

  @Test
  void whatIsReadInOnePassIsWhatIsReadInTwo() {
    List<byte[]> good =
        Stream.of("rows", "values", "structure")
            .flatMap(group -> ConformanceCase.of("tfs/" + group).stream())
            .map(each -> each.data().path("body").asText().getBytes(StandardCharsets.UTF_8))
            .toList();
    int taken = 0;
    for (int i = 0; i < BODIES; i++) {
      byte[] body = i < good.size() ? good.get(i) : damage(good.get(i % good.size()), good);
      taken += assertSameInTwoPasses(body, "half_plus_two");
      taken += assertSameInTwoPasses(body, "typed_io");
    }
    assertThat(taken).isGreaterThan(BODIES / 200);
  }

  private int assertSameInTwoPasses(byte[] bytes, String name) {
    Body body = Body.of(bytes);
    ModelLease model =
        ((ModelLookup.Found) planes.admit(new ModelSelector.Latest(name), Caller.SERVER)).model();
    PlainRows once = PlainRows.read(body, model, new TfsDialect());
    if (once != null) {
      PredictDocument document = PredictDocument.read(body);
      Signature signature = document.signature(model.metadata());
      var dialect = new TfsDialect();
      var keys = PredictKeys.of(List.of(dialect));
      var twice = new PredictDecoder(document, model, signature, keys, dialect).decode();
      assertThat(twice.form()).isEqualTo(ResponseLayout.ROWS);
      assertThat(signature).isEqualTo(once.signature());
      assertSame(once.inputs(), twice.inputs());
      NamedTensor.closeAll(twice.inputs());
      NamedTensor.closeAll(once.inputs());
    }
    model.release();
    return once == null ? 0 : 1;
  }

  private static void assertSame(List<NamedTensor> actual, List<NamedTensor> expected) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < actual.size(); i++) {
      assertThat(actual.get(i).name()).isEqualTo(expected.get(i).name());
      Tensor once = actual.get(i).tensor();
      Tensor twice = expected.get(i).tensor();
      assertThat(once.shape()).isEqualTo(twice.shape());
      assertThat(once.data().mismatch(twice.data())).isEqualTo(-1);
    }
  }

  private void decode(byte[] body, String model) {
    try {
      predict
          .decode(Body.of(body), new ModelSelector.Latest(model), new FakeExchange(), Envelope.NONE)
          .request()
          .close();
    } catch (InferenceException e) {
      assertThat(e.code()).isIn(ErrorCode.INVALID_ARGUMENT, ErrorCode.UNIMPLEMENTED);
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  private byte[] damage(byte[] good, List<byte[]> all) {
    byte[] damaged = good.clone();
    for (int hits = random.nextInt(3); hits >= 0 && damaged.length > 0; hits--) {
      int at = random.nextInt(damaged.length);
      damaged =
          switch (random.nextInt(5)) {
            case 0 -> replaced(damaged, at, (byte) TOKENS.charAt(random.nextInt(TOKENS.length())));
            case 1 -> joined(damaged, at, damaged, at + 1);
            case 2 -> Arrays.copyOf(damaged, at);
            case 3 -> joined(damaged, at, damaged, random.nextInt(damaged.length));
            default -> {
              byte[] other = all.get(random.nextInt(all.size()));
              yield joined(damaged, at, other, random.nextInt(other.length + 1));
            }
          };
    }
    return damaged;
  }

  private static byte[] replaced(byte[] bytes, int at, byte value) {
    bytes[at] = value;
    return bytes;
  }

  /** The first bytes of one and the last of another. */
  private static byte[] joined(byte[] first, int to, byte[] second, int from) {
    byte[] joined = Arrays.copyOf(first, to + second.length - from);
    System.arraycopy(second, from, joined, to, second.length - from);
    return joined;
  }
}
