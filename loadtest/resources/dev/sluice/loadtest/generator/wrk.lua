-- Posts the same body again and again, and reports as one line of JSON, because wrk's own report rounds.
-- Arguments: a file with the body; how many milliseconds a connection waits between requests at most (0: it
-- does not); then the name and the value of each header in turn.

function init(args)
  local file = assert(io.open(args[1], "rb"))
  wrk.method = "POST"
  wrk.body = file:read("*a")
  file:close()
  for i = 3, #args, 2 do
    wrk.headers[args[i]] = args[i + 1]
  end
  local pause = tonumber(args[2])
  if pause > 0 then
    math.randomseed(os.time())
    delay = function() return math.random(0, pause) end
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"micros":%d,"p50":%d,"p99":%d,"failed":%d,"refused":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
