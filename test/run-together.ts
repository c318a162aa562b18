/**
 * Runs test files one after the other in this process. What they import is loaded and compiled
 * once: a file of the specification alone needs three times as long, most of it for that.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const files = process.argv.slice(2);
// tap names its folders by these, and all names together are longer than a file's name may be.
process.argv.splice(1, process.argv.length, ...files.slice(0, 1));
const { default: t } = await import("tap");

// The tests of the files wait until this one has ended, so that tap knows of all before it ends.
void t.test("the files are loaded, and each has tests", async (loading) => {
  for (const file of files) {
    const { length } = t.queue;
    await import(pathToFileURL(resolve(file)).href);
    loading.not(t.queue.length, length, file);
  }
});
