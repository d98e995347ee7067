/* A terminal is redrawn, a log gets a line */
const REDRAWN_EVERY = 100
const LINE_EVERY = 5000
const WIDTH = 24

/**
 * How far a command is, on standard error: a bar on a terminal, lines elsewhere.
 */
export class Progress {
  readonly #isTerminal = Boolean(process.stderr.isTTY)
  #shown = performance.now()

  /**
   * @param total    number of records; null if it is not known
   * @param isShown  false: nothing is written
   */
  constructor(
    private readonly total: number | null,
    private readonly isShown: boolean
  ) {}

  show(count: number): void {
    const now = performance.now()
    if (!this.isShown || now - this.#shown < (this.#isTerminal ? REDRAWN_EVERY : LINE_EVERY)) return
    this.#shown = now
    this.#write(count)
  }

  /** Takes the bar away. */
  end(): void {
    if (this.isShown && this.#isTerminal) process.stderr.write('\r\u001b[K')
  }

  #write(count: number) {
    const of = this.total === null ? '' : ` of ${this.total.toLocaleString('en')}`
    const text = `${count.toLocaleString('en')}${of} records`
    if (!this.#isTerminal) return void process.stderr.write(`${text}\n`)
    const share = this.total ? Math.min(count / this.total, 1) : 0
    const full = Math.round(share * WIDTH)
    process.stderr.write(`\r\u001b[K[${'#'.repeat(full)}${' '.repeat(WIDTH - full)}] ${text}`)
  }
}
