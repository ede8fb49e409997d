package dev.sluice.serving.plugin;

import dev.sluice.extension.Answer;
import dev.sluice.extension.BatchModel;
import dev.sluice.extension.Model;
import dev.sluice.extension.Outcome;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Request;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.RequestTrace;
import dev.sluice.runtime.plugin.PluginCall;
import dev.sluice.runtime.plugin.PluginFailure;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.telemetry.meter.RunMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of a plugin for one request or several. On the plugin's thread; decides the answer of
 * each, exactly once, unless {@link #runs} says that each is to run alone.
 */
final class PluginBatch extends PluginCall<PluginBatch.Results> {
  private static final Logger LOG = LoggerFactory.getLogger(PluginBatch.class);

  /**
   * What the code gave: for each request a response or a failure.
   *
   * @param thrown whether it threw instead, with several requests
   */
  record Results(List<Result> each, boolean thrown) {}

  /** One request's response, or why there is none. */
  record Result(@Nullable InferenceResponse response, @Nullable InferenceException failure) {}

  private final PluginVersion version;
  private final Model model;
  private final PluginResponses answers;
  private final List<PendingRequest> members;
  private List<Request> views = List.of();
  private boolean apart;

  PluginBatch(
      PluginVersion version, Model model, PluginResponses answers, List<PendingRequest> members) {
    super(version.answering(), version.code(), version.limit());
    this.version = version;
    this.model = model;
    this.answers = answers;
    this.members = members;
  }

  /** Runs it. False if the code threw with several requests: none was answered. */
  boolean runs() {
    runHere();
    return !apart;
  }

  @Override
  protected void prepare() {
    views = new ArrayList<>(members.size());
    for (PendingRequest member : members) {
      views.add(PluginRequest.of(member.request(), () -> isOver() || isAbandoned(member)));
      member.request().onAbandoned(this::letGo);
    }
  }

  private boolean isAbandoned(PendingRequest member) {
    return member.isAbandoned(version.nanoTime().getAsLong());
  }

  /** Lets callers go whose time is up, and interrupts the code once no caller waits. Any thread. */
  private void letGo() {
    List<PendingRequest> abandoned = members.stream().filter(this::isAbandoned).toList();
    abandoned.forEach(member -> member.giveUp(whyAbandoned(member)));
    if (abandoned.size() == members.size()) {
      giveUp(new InferenceException(ErrorCode.CANCELLED, "its callers wait no longer"));
    }
  }

  @Override
  protected Results call() throws Exception {
    letGo();
    if (isOver()) {
      return new Results(List.of(), false);
    }
    RunMeter meter = version.meters().begin(members.size());
    long begun = version.nanoTime().getAsLong();
    members.forEach(member -> member.request().runBegan(member.sinceNanos(), begun));
    boolean answered = false;
    try {
      List<Outcome> outcomes = outcomes();
      version.meters().computed(meter);
      List<Result> results = results(outcomes);
      answered = count(results, meter);
      return new Results(results, false);
    } catch (Exception | Error e) {
      if (members.size() == 1) {
        countFailed(members.getFirst(), meter);
        throw e;
      }
      LOG.atDebug().setCause(e).log("a call of several requests failed; they run one by one");
      members.forEach(member -> member.request().runForgotten());
      return new Results(List.of(), true);
    } finally {
      if (answered) {
        version.meters().ended(meter);
      } else {
        version.meters().end(meter);
      }
    }
  }

  private List<Outcome> outcomes() throws Exception {
    if (!(model instanceof BatchModel batch)) {
      return List.of(one(model.run(views.getFirst())));
    }
    List<Outcome> outcomes = batch.run(List.copyOf(views));
    if (outcomes == null || outcomes.size() != members.size()) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "the model's code gave %s outcomes for %d requests"
              .formatted(outcomes == null ? "no" : outcomes.size(), members.size()));
    }
    return outcomes;
  }

  private static Outcome one(@Nullable Answer answer) {
    return answer == null
        ? new Refusal(Refusal.Kind.INTERNAL, "the model's code returned null")
        : answer;
  }

  private List<Result> results(List<Outcome> outcomes) {
    var results = new ArrayList<Result>(members.size());
    try {
      for (int i = 0; i < members.size(); i++) {
        results.add(result(members.get(i).request(), outcomes.get(i)));
      }
      return results;
    } catch (RuntimeException | Error e) {
      discard(new Results(results, false));
      throw e;
    }
  }

  private Result result(InferenceRequest request, @Nullable Outcome outcome) {
    try {
      return switch (outcome) {
        case Answer answer -> new Result(answers.respond(request, answer, true), null);
        case Refusal refusal -> new Result(null, PluginFailure.of(refusal));
        case null ->
            new Result(
                null,
                new InferenceException(
                    ErrorCode.INTERNAL, "the model's code gave no outcome for the request"));
      };
    } catch (InferenceException e) {
      return new Result(null, e);
    }
  }

  /** Returns whether any request was answered. */
  private boolean count(List<Result> results, RunMeter meter) {
    boolean any = false;
    for (int i = 0; i < members.size(); i++) {
      InferenceResponse response = results.get(i).response();
      if (response != null) {
        PendingRequest member = members.get(i);
        RequestTrace trace = member.request().trace();
        if (trace != null) {
          trace.outputs(response.outputs());
        }
        meter.answered(member.sinceNanos(), 1, member.request().times(), trace);
        any = true;
      } else {
        countFailed(members.get(i), meter);
      }
    }
    return any;
  }

  private void countFailed(PendingRequest member, RunMeter meter) {
    meter.failedRun(member.request(), member.sinceNanos(), version.nanoTime().getAsLong());
  }

  @Override
  protected void succeeded(Results results) {
    apart = results.thrown();
    for (int i = 0; i < results.each().size(); i++) {
      decide(members.get(i), results.each().get(i));
    }
  }

  private void decide(PendingRequest member, Result result) {
    InferenceResponse response = result.response();
    if (response == null) {
      fail(version, member, Objects.requireNonNull(result.failure()));
    } else if (isAbandoned(member)) {
      response.close();
      fail(version, member, whyAbandoned(member));
    } else {
      member.complete(response);
      deliver(member);
    }
  }

  private InferenceException whyAbandoned(PendingRequest member) {
    return member.abandonedInRun(version.nanoTime().getAsLong());
  }

  @Override
  protected void failed(InferenceException why) {
    for (PendingRequest member : members) {
      fail(version, member, isAbandoned(member) ? whyAbandoned(member) : why);
    }
  }

  @Override
  protected void discard(Results results) {
    for (Result result : results.each()) {
      InferenceResponse response = result.response();
      if (response != null) {
        response.close();
      }
    }
  }

  /** Decides that a request gets no answer. */
  static void fail(PluginVersion version, PendingRequest member, InferenceException why) {
    version.meters().failed(why);
    member.complete(why);
    deliver(member);
  }

  private static void deliver(PendingRequest member) {
    if (member.onCompletion()) {
      member.callerContext().runOnContext(_ -> member.deliver());
    }
  }
}
