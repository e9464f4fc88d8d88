// Draws what waits in slices, so that the page answers meanwhile: what can be seen first, then in the order of the page.

export interface Job {
  element: Element; // where it is seen
  waits: boolean;
  run(): void;
}

const SLICE_MS = 40;

export class Schedule {
  private readonly jobs: Job[] = [];
  private planned = false;
  private readonly whenDone: () => void;

  constructor(whenDone: () => void) {
    this.whenDone = whenDone;
  }

  add(job: Job): void {
    this.jobs.push(job);
    this.plan();
  }

  /** Everything anew, soon. */
  again(): void {
    for (const job of this.jobs) job.waits = true;
    this.plan();
  }

  /** Everything that waits, now. `until`: no further than this element. */
  finish(until?: Element): void {
    for (const job of this.jobs) {
      if (job.waits) this.run(job);
      if (until && job.element === until) return;
    }
    this.done();
  }

  private done(): void {
    if (this.jobs.some((job) => job.waits)) return;
    document.documentElement.dataset["drawing"] = "no";
    this.whenDone();
  }

  private plan(): void {
    if (this.planned) return;
    this.planned = true;
    // For whoever waits until all is drawn: tests, and programs that make pictures of the page.
    document.documentElement.dataset["drawing"] = "yes";
    // Not requestIdleCallback: it waits for a page that is busy with itself.
    setTimeout(() => this.slice(), 0);
  }

  private run(job: Job): void {
    job.waits = false;
    job.run();
  }

  private slice(): void {
    this.planned = false;
    const begin = performance.now();
    const height = window.innerHeight;
    const seen = (job: Job): boolean => {
      const box = job.element.getBoundingClientRect();
      return box.bottom > -height / 2 && box.top < height * 1.5;
    };
    const waiting = this.jobs.filter((job) => job.waits);
    const visible = waiting.filter(seen);
    for (const job of visible.length > 0 ? visible : waiting) {
      this.run(job);
      if (performance.now() - begin > SLICE_MS) break;
    }
    if (this.jobs.some((job) => job.waits)) this.plan();
    else this.done();
  }
}
