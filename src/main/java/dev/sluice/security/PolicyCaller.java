package dev.sluice.security;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.access.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** An identity on a listener, with its rights worked out: asking costs a look into a bit set. */
final class PolicyCaller implements Caller {
  private final String listener;
  private final Identity identity;
  private final double share;
  private final List<PolicyRule> rules;
  private final boolean neverControl;

  /** For all models, and for what concerns no single one. */
  private final Set<Operation> everywhere = EnumSet.noneOf(Operation.class);

  private final Caller trusted;

  /** Rules that give rights to some models only. */
  private final List<PolicyRule> limited;

  /**
   * @param share of a model's streams and sequences that it may hold
   * @param rules those that concern the identity on this listener
   * @param open what everybody may do there
   * @param neverControl whether control and administration are closed there for everybody
   */
  PolicyCaller(
      String listener,
      Identity identity,
      double share,
      List<PolicyRule> rules,
      Set<Operation> open,
      boolean neverControl) {
    this.listener = listener;
    this.identity = identity;
    this.share = share;
    this.rules = List.copyOf(rules);
    this.neverControl = neverControl;
    this.limited = rules.stream().filter(rule -> !rule.models().isEmpty()).toList();
    everywhere.addAll(open);
    rules.stream()
        .filter(rule -> rule.models().isEmpty())
        .forEach(rule -> everywhere.addAll(rule.operations()));
    this.trusted = Caller.serverFor(this);
    if (neverControl) {
      everywhere.removeIf(operation -> operation.isControl());
    }
  }

  @Override
  public String listener() {
    return listener;
  }

  @Override
  public String identity() {
    return identity.name();
  }

  @Override
  public double share() {
    return share;
  }

  @Override
  public int highestPriority(String model) {
    int highest = Integer.MAX_VALUE;
    for (PolicyRule rule : rules) {
      if (rule.operations().contains(Operation.INFER) && rule.covers(model)) {
        highest = Math.min(highest, rule.highestPriority());
      }
    }
    return highest;
  }

  @Override
  public boolean isAnonymous() {
    return identity.isAnonymous();
  }

  @Override
  public void require(Operation operation) {
    if (!everywhere.contains(operation) && !(operation.ofModel() && onSomeModel(operation))) {
      throw refusal(operation, "");
    }
  }

  @Override
  public void require(Operation operation, String model) {
    if (!may(operation, model)) {
      throw refusal(operation, " on model '" + model + "'");
    }
  }

  @Override
  public boolean may(Operation operation, String model) {
    return everywhere.contains(operation) || onModel(operation, model);
  }

  @Override
  public Caller withServerRights() {
    return trusted;
  }

  private boolean onSomeModel(Operation operation) {
    return !closed(operation)
        && limited.stream().anyMatch(rule -> rule.operations().contains(operation));
  }

  private boolean onModel(Operation operation, String model) {
    return operation.ofModel()
        && !closed(operation)
        && limited.stream()
            .anyMatch(rule -> rule.operations().contains(operation) && rule.covers(model));
  }

  private boolean closed(Operation operation) {
    return neverControl && operation.isControl();
  }

  private InferenceException refusal(Operation operation, String where) {
    Role role = operation.role();
    String why =
        closed(operation)
            ? "which listener %s allows to no caller (setting listeners.control: false)"
                .formatted(listener)
            : "which '%s' %s on listener %s (setting security.policies%s)"
                .formatted(
                    identity(),
                    onSomeModel(operation) ? "has for some models alone" : "does not have",
                    listener,
                    role.isControl()
                        ? "; an admin listener; or, for everybody, control: ["
                            + operation.text()
                            + "] of the listener"
                        : "");
    return new InferenceException(
        ErrorCode.PERMISSION_DENIED,
        "operation '%s'%s needs the role '%s'%s, %s"
            .formatted(
                operation.text(),
                where,
                role.text(),
                where.isEmpty() && onSomeModel(operation) ? " for all models" : "",
                why));
  }
}
