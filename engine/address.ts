/**
 * Addresses of actors, and which messages they accept. At run time an address is the key of the
 * actor's head; the rest is types: which messages the actor handles, and its reply to each.
 */
import type { Key } from "./key.ts";

declare const handles: unique symbol;
declare const answers: unique symbol;

/** Address of an actor that handles `Message`; `Head` is the type of its row. */
export type Address<Message, Head = unknown> = Key<Head> & {
  readonly [handles]: (message: Message) => void;
};

/** A message that expects a reply of type `Reply`. */
export interface Question<Reply> {
  readonly [answers]?: Reply;
}

/** The reply type of a message; `never` for one without a reply. */
export type ReplyTo<Message> = Message extends unknown
  ? typeof answers extends keyof Message
    ? NonNullable<Message[typeof answers]>
    : never
  : never;

/** A request that waits for a `Reply`; without the type, a request that another actor answers. */
export type RequestId<Reply = never> = number & { readonly [answers]?: (reply: Reply) => void };

/** Returns the address of the actor whose head lies under `key`; called where the key is made. */
export function createAddress<Message, Head>(key: Key<Head>): Address<Message, Head> {
  return key as Address<Message, Head>;
}
