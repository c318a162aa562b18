/**
 * Faults of an object store, as a `PortError` whose message is a sentence for the operator. No key,
 * address, signature or text from the store is in it, since it reaches logs and clients.
 */
import { PortError } from "../../ports/port-error.ts";
import { LongAnswer, Overloaded, SilentStore } from "./transport.ts";

/** `isBrief`: the same request may succeed in a moment. */
export class S3Fault extends PortError {
  /** Error code from the store or the system; empty without one. */
  readonly code: string;
  readonly isBrief: boolean;
  constructor(
    sentence: string,
    code: string,
    { retryable = false, isBrief = false, cause }: FaultOptions = {},
  ) {
    super(sentence, retryable, cause);
    this.code = code;
    this.isBrief = isBrief;
  }
}

interface FaultOptions {
  readonly retryable?: boolean;
  readonly isBrief?: boolean;
  readonly cause?: unknown;
}

const elsewhere =
  "The object store keeps the bucket in another region; set KLIEG_S3_REGION to that region and KLIEG_S3_ENDPOINT to its address.";
const unanswered =
  "The object store of KLIEG_S3_ENDPOINT does not answer; start it or correct the setting.";
const unlike = "KLIEG_S3_ENDPOINT does not answer like S3; set it to the address of an S3 API.";

/** Faults that no retry mends: a setting is wrong, or the store itself is broken. */
const lasting: Readonly<Record<string, string>> = {
  AccessDenied:
    "The object store denies the key of KLIEG_S3_ACCESS_KEY access to the bucket of KLIEG_S3_BUCKET; allow that key to list, read, write and delete there.",
  AuthorizationHeaderMalformed: elsewhere,
  BucketAlreadyExists:
    "The bucket of KLIEG_S3_BUCKET belongs to another owner; choose another name.",
  IllegalLocationConstraintException: elsewhere,
  InvalidAccessKeyId:
    "The object store does not know the key of KLIEG_S3_ACCESS_KEY; set it to a key that it knows.",
  InvalidBucketName:
    "The object store does not accept the bucket name in KLIEG_S3_BUCKET; choose another name.",
  InvalidRegion: elsewhere,
  MovedPermanently: elsewhere,
  NoSuchBucket:
    "The object store has no bucket named as in KLIEG_S3_BUCKET; create it or correct the setting.",
  PermanentRedirect: elsewhere,
  RequestTimeTooSkewed:
    "The clocks of the object store and this machine differ by more than S3 allows; synchronize them.",
  SignatureDoesNotMatch:
    "The object store rejects the signature of KLIEG_S3_SECRET_KEY; set it to the secret of KLIEG_S3_ACCESS_KEY.",
  TemporaryRedirect: elsewhere,
};

/** Codes of a connection that was lost or never established. */
const lostCodes: ReadonlySet<string> = new Set([
  ...["ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"],
  ...["EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"],
]);

/** Form of a store's error codes, unlike the system's, which are all capitals. */
const storeCode = /^[A-Z][A-Za-z0-9]{0,63}$/;
const systemCode = /^[A-Z][A-Z0-9_]{1,63}$/;

/** `mayPass`: an unknown fault may not recur on a retry, as with an interrupted copy. */
export function createFault(error: unknown, mayPass = false): S3Fault {
  if (error instanceof S3Fault) return error;
  if (error instanceof Overloaded)
    return new S3Fault(
      `The object store is temporarily unavailable (status ${error.status}).`,
      `${error.status}`,
      { retryable: true, isBrief: true },
    );
  if (error instanceof SilentStore)
    return new S3Fault(unanswered, "ETIMEDOUT", { retryable: true });
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (lostCodes.has(code))
    return new S3Fault(unanswered, code, { retryable: true, isBrief: true, cause: error });
  if (systemCode.test(code)) return systemFault(code, error);
  const known = storeCode.test(code) ? code : "";
  const sentence = lasting[known];
  if (sentence !== undefined) return new S3Fault(sentence, known);
  if (error instanceof LongAnswer || known === "")
    return new S3Fault(unlike, "", { retryable: mayPass });
  return new S3Fault(`The object store refused a request (${known}).`, known, {
    retryable: mayPass || passing.has(known),
  });
}

/** Faults that a retry may mend: space is freed, and a lost upload is started again. */
const passing: ReadonlySet<string> = new Set([
  ...["NoSuchUpload", "InternalError", "OperationAborted", "RequestTimeout", "BadDigest"],
  ...["QuotaExceeded", "XMinioStorageFull"],
]);

/** Handles an unknown host name, an untrusted certificate, or an answer that is not HTTP. */
function systemFault(code: string, cause: unknown): S3Fault {
  if (code === "ENOTFOUND")
    return new S3Fault(
      "The host of KLIEG_S3_ENDPOINT cannot be resolved; correct the setting or this machine's DNS.",
      code,
      { retryable: true, cause },
    );
  if (/CERT|UNABLE_TO/.test(code))
    return new S3Fault(
      `The certificate of KLIEG_S3_ENDPOINT is not trusted (${code}); make Node trust its issuer (NODE_EXTRA_CA_CERTS).`,
      code,
      { cause },
    );
  return new S3Fault(unlike, code, { cause });
}
