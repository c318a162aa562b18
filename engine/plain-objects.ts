/**
 * An object store whose faults a customer may read: the store's own error texts, hosts and names go
 * to the operator's log only.
 */
import type { Objects } from "./ports/objects.ts";
import { PortError } from "./ports/port-error.ts";

export function plainObjects(objects: Objects, note: (fault: PortError) => void): Objects {
  const tellPlainly = (fault: unknown): never => {
    if (!(fault instanceof PortError)) throw fault;
    note(fault);
    throw new PortError(fault.retryable ? unreached : unusable, fault.retryable, fault);
  };
  return {
    async put(key, bytes) {
      let ofSource: unknown;
      const source = (async function* () {
        try {
          yield* bytes;
        } catch (fault) {
          ofSource = fault;
          throw fault;
        }
      })();
      return objects.put(key, source).catch((fault: unknown) => {
        // A failure of the source is no fault of the store.
        throw ofSource === undefined ? tellPlainly(fault) : ofSource;
      });
    },
    stat: (key) => objects.stat(key).catch(tellPlainly),
    async *read(key, range) {
      try {
        yield* objects.read(key, range);
      } catch (fault) {
        tellPlainly(fault);
      }
    },
    link: (key, path) => objects.link(key, path).catch(tellPlainly),
    copy: (from, to) => objects.copy(from, to).catch(tellPlainly),
    remove: (key) => objects.remove(key).catch(tellPlainly),
    async *list(folder) {
      try {
        yield* objects.list(folder);
      } catch (fault) {
        tellPlainly(fault);
      }
    },
  };
}

const unreached = "A file cannot be read or stored at the moment.";
const unusable = "A file that is needed cannot be read or stored.";
