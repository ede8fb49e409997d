package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.LogSettings;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.TraceSettings;
import dev.sluice.protocol.oip.grpc.proto.LogSettingsRequest;
import dev.sluice.protocol.oip.grpc.proto.LogSettingsResponse;
import dev.sluice.protocol.oip.grpc.proto.TraceSettingRequest;
import dev.sluice.protocol.oip.grpc.proto.TraceSettingResponse;

/** The settings of the log and of traces: read by an empty request, changed by one that is not. */
record SettingsCalls(OipServer server) {
  LogSettingsResponse logging(LogSettingsRequest request, Caller caller) {
    var settings = new LogSettings();
    request.getSettingsMap().forEach((name, value) -> settings.put(name, read(name, value)));
    settings.apply(server.logs(), caller);
    var response = LogSettingsResponse.newBuilder();
    LogSettings.of(server.logs())
        .forEach((name, value) -> response.putSettings(name, written(value)));
    return response.build();
  }

  private static ParameterValue read(String name, LogSettingsRequest.SettingValue value) {
    return switch (value.getParameterChoiceCase()) {
      case BOOL_PARAM -> new ParameterValue.Flag(value.getBoolParam());
      case UINT32_PARAM ->
          new ParameterValue.Whole(Integer.toUnsignedLong(value.getUint32Param()), true);
      case STRING_PARAM -> new ParameterValue.Text(value.getStringParam());
      case PARAMETERCHOICE_NOT_SET ->
          throw InferenceException.invalid("log setting '" + Excerpt.of(name) + "' has no value");
    };
  }

  private static LogSettingsResponse.SettingValue written(ParameterValue value) {
    var setting = LogSettingsResponse.SettingValue.newBuilder();
    switch (value) {
      case ParameterValue.Flag(boolean set) -> setting.setBoolParam(set);
      case ParameterValue.Whole(long number, _) -> setting.setUint32Param((int) number);
      case ParameterValue.Fraction(double number) ->
          setting.setStringParam(Double.toString(number));
      case ParameterValue.Text(String text) -> setting.setStringParam(text);
    }
    return setting.build();
  }

  TraceSettingResponse tracing(TraceSettingRequest request, Caller caller) {
    if (!request.getModelName().isEmpty()) {
      var latest = new ModelSelector.Latest(request.getModelName());
      OipModels.require(server.data(), latest, caller, Operation.TRACING);
    }
    var settings = new TraceSettings();
    request.getSettingsMap().forEach((name, value) -> settings.put(name, value.getValueList()));
    settings.apply(server, request.getModelName(), caller);
    var response = TraceSettingResponse.newBuilder();
    TraceSettings.of(server, request.getModelName())
        .forEach((name, values) ->
            response.putSettings(
                name, TraceSettingResponse.SettingValue.newBuilder().addAllValue(values).build()));
    return response.build();
  }
}
