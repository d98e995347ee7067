import { once } from 'node:events'
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import type { ImportFault } from '../../models/admin_import.js'
import { keepPart } from '../kept_file.js'

/**
 * The errors of the rows that a run in parts leaves out, which are kept in the place of those of the trial: records may
 * have changed since. For the rows before an interruption, those that were kept then stand. [D3]
 */
export class LeftOut {
  #output: WriteStream | undefined

  /**
   * @param key      of the import's file
   * @param kept     path of the errors that are kept; null if there are none
   * @param scratch  path of a new file
   */
  constructor(
    private readonly key: string,
    private readonly kept: string | null,
    private readonly scratch: string
  ) {}

  /** Does the work, and keeps its errors, also if the work fails. */
  async during(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } finally {
      await this.#keep()
    }
  }

  /**
   * Adds the errors of a part that is done.
   *
   * @param line  of its first row
   */
  async add(line: number, faults: readonly ImportFault[]): Promise<void> {
    this.#output ??= await this.#begin(line)
    for (const fault of faults) await write(this.#output, JSON.stringify(fault))
  }

  async #begin(first: number): Promise<WriteStream> {
    const output = createWriteStream(this.scratch, { mode: 0o600 })
    if (this.kept === null) return output
    const input = createReadStream(this.kept, 'utf8')
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      const { line } = JSON.parse(text) as ImportFault
      if (line >= first) break
      await write(output, text)
    }
    input.destroy()
    return output
  }

  async #keep(): Promise<void> {
    const output = this.#output
    if (!output) return
    await finished(output.end())
    await keepPart(this.key, 'faults', this.scratch)
  }
}

async function write(output: WriteStream, text: string): Promise<void> {
  if (!output.write(`${text}\n`)) await once(output, 'drain')
}
