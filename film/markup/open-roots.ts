/**
 * Shadow roots that markup declares are open, because only those can be found in a page and led by
 * the film's time. Scripts that look for one where the author wrote a closed one find it.
 */
export function openRoots(text: string): string {
  return text.replace(closed, "$1open$2");
}

const closed = /(<template\b[^>]*\sshadowrootmode\s*=\s*["']?)closed(["'\s/>])/gi;
