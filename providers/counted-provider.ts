import type { Tally } from "../engine/metrics/tally.ts";
import type { Provider } from "./provider.ts";

/** Wraps a provider so that its calls are counted by their outcome. */
export function countCall(provider: Provider, tally: Tally): Provider {
  const { name } = provider.describe();
  const counting = async <Answer>(
    op: string,
    call: Promise<Answer>,
    getOutcome: (answer: Answer) => string,
  ): Promise<Answer> => {
    const count = (outcome: string) =>
      tally.count("provider_requests_total", { provider: name, op, outcome }).add();
    try {
      const answer = await call;
      count(getOutcome(answer));
      return answer;
    } catch (error) {
      count("error");
      throw error;
    }
  };
  const { lookUp, upload, forget, close } = provider;
  return {
    describe: () => provider.describe(),
    submit: (submission) => counting("submit", provider.submit(submission), ({ kind }) => kind),
    status: (ref) => counting("status", provider.status(ref), ({ state }) => state),
    result: (ref) => counting("result", provider.result(ref), () => "ok"),
    cancel: (ref) => counting("cancel", provider.cancel(ref), ({ kind }) => kind),
    health: () => counting("health", provider.health(), (health) => health),
    verifyCallback: (callback, nowMs) => provider.verifyCallback(callback, nowMs),
    ...(lookUp && {
      lookUp: (job) => counting("look_up", lookUp.call(provider, job), ({ kind }) => kind),
    }),
    ...(upload && {
      upload: (file) => counting("upload", upload.call(provider, file), () => "ok"),
    }),
    ...(forget && { forget: (ref) => forget.call(provider, ref) }),
    ...(close && { close: () => close.call(provider) }),
  };
}
