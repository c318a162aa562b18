/** Forms with files (RFC 7578), as bytes of known length. */
export interface FormBody {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export async function formBody(form: FormData): Promise<FormBody> {
  const encoded = new Response(form);
  const type = encoded.headers.get("content-type") ?? "";
  return { type, bytes: new Uint8Array(await encoded.arrayBuffer()) };
}
