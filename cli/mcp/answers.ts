/** Answers to an agent: results, and refusals worded so that it can act or show them. */
import { KliegError } from "../../clients/typescript/src/klieg.ts";
import type { ToolAnswer } from "./tool.ts";

type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

/**
 * The result of a call as the protocol defines it. A result is sent once, as text, which every
 * program shows its agent; a refusal is a sentence for the agent, and data for the program.
 */
export interface CallResult {
  readonly content: readonly Content[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

export function buildResult({ result, picture }: ToolAnswer): CallResult {
  const text = { type: "text", text: JSON.stringify(result) } as const;
  const seen = picture && { type: "image", data: picture.base64, mimeType: picture.mediaType };
  return { content: seen === undefined ? [text] : [{ ...seen, type: "image" }, text] };
}

/** Turns a refusal into an answer; rethrows any other error. */
export function findRefusal(fault: unknown): CallResult {
  if (!(fault instanceof KliegError)) throw fault;
  const { status, code, title, jobId, renderId, setId, errors, problem } = fault;
  const { credits_required, run_total_credits, credit_ceiling } = problem;
  return refuse(sentence(fault), {
    status,
    code,
    title,
    detail: fault.message,
    errors,
    job_id: jobId,
    render_id: renderId,
    set_id: setId,
    request_id: fault.requestId,
    retry_after: fault.retryAfter,
    credits_required,
    run_total_credits,
    credit_ceiling,
    ...(fault.job && { job: fault.job }),
  });
}

export function refuse(text: string, error: object): CallResult {
  const content = [{ type: "text", text }] as const;
  return { content, structuredContent: { error }, isError: true };
}

function sentence(fault: KliegError): string {
  const { code, title, message, errors, jobId, setId, problem } = fault;
  switch (code) {
    case "approval_required":
      return (
        `Approval needed. ${message} Nothing was submitted or charged. Show this to your customer ` +
        `and ask for a total of ${problem.run_total_credits} credits. Do not try again, split the ` +
        "work or use another model before your customer has decided."
      );
    case "run_ended":
      return `${message} Nothing was submitted or charged. Stop working on this run.`;
    case "timeout":
      return `${message} It continues; wait for it again.`;
    case "canceled":
    case "job_failed":
    case "prompt_nsfw":
    case "ip_detected":
      return `${title}: ${message}`;
    default: {
      const fields = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ");
      const job = jobId === undefined ? "" : ` The job is ${jobId}.`;
      const about = setId === undefined ? job : ` The set is ${setId}.`;
      return `${title}: ${fields === "" ? message : fields}${about}`;
    }
  }
}
