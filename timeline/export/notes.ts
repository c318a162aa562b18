import { limits } from "../../config/limits.ts";

/** Collects what an export lacks, one sentence each, equal ones once. */
export class Notes {
  private readonly sentences = new Set<string>();
  private isCut = false;

  add(sentence: string): void {
    if (this.sentences.size < limits.exports.warningsMax) this.sentences.add(plain(sentence));
    else this.isCut = true;
  }

  all(): readonly string[] {
    const more = `there are more than ${limits.exports.warningsMax} such warnings`;
    return this.isCut ? [...this.sentences, more] : [...this.sentences];
  }
}

/** Puts a sentence on one line. */
function plain(sentence: string): string {
  return sentence.replace(/\p{Cc}+/gu, " ").slice(0, 500);
}
