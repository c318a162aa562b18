/**
 * Addresses of actors, and what may be sent there. At run time an address is the key of the actor's
 * head; the rest is types: which messages the actor handles, and what it answers to each.
 */
import type { Key } from "./key.ts";

declare const handles: unique symbol;
declare const answers: unique symbol;

/** Where an actor that handles `Message` is; `Head` is its row. */
export type Address<Message, Head = unknown> = Key<Head> & {
  readonly [handles]: (message: Message) => void;
};

/** A message that may be asked, and is answered with a `Reply`. */
export interface Question<Reply> {
  readonly [answers]?: Reply;
}

/** The reply type of a message; `never` for one without a reply. */
export type ReplyTo<Message> = Message extends unknown
  ? typeof answers extends keyof Message
    ? NonNullable<Message[typeof answers]>
    : never
  : never;

/** The request that waits for a `Reply`; without one, a request that another actor answers. */
export type RequestId<Reply = never> = number & { readonly [answers]?: (reply: Reply) => void };

/** The address of the actor whose head lies under `key`; said once, where the key is made. */
export function createAddress<Message, Head>(key: Key<Head>): Address<Message, Head> {
  return key as Address<Message, Head>;
}
