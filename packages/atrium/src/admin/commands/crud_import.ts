import { basename, resolve } from 'node:path'
import { args, flags } from '@adonisjs/core/ace'
import { groupedNumber } from '#base/values/numbers'
import type { ConsolePlan } from '../import/import_by_console.js'
import type { ImportCounts, ImportError } from '../models/admin_import.js'
import { AdminCommand, CommandFailure } from './admin_command.js'

/* Number of rows between two lines of progress, if the output is not a terminal */
const ROWS_A_LINE = 10_000

const BAR = 30

/** Imports a file into a model with the permissions of the server's operator: all rows or none. */
export default class CrudImport extends AdminCommand {
  static commandName = 'crud:import'
  static description = 'Make records of the rows of a file, or change those that there are'
  static help = [
    'See what a file would do, then import it, or all of it but its invalid rows:',
    '{{ binaryName }} crud:import Film films.csv --dry-run',
    '{{ binaryName }} crud:import Film films.csv',
    '{{ binaryName }} crud:import Film films.csv --skip-faulty',
    'Columns are found by their names. Rows change the records with their id, or with another unique field of the file; other rows make new records. Either all rows are written, or none.',
  ]

  @args.string({ description: 'Name of the model, as in Film' })
  declare model: string

  @args.string({
    description: 'CSV, NDJSON, JSON or XLSX; the heading has names or labels of fields',
  })
  declare file: string

  @flags.string({
    description:
      'Unique field by which rows find their records, or several, parted by commas; "none": all rows are new. Default: the primary key or another unique field, if the file has it',
  })
  declare key: string

  @flags.number({
    description:
      'Line or row with the names of the columns. Default: it is found, and rows above are left out',
  })
  declare heading: number

  @flags.string({
    description:
      'Name of the sheet of an XLSX file. Default: the first one that is not hidden and has rows',
  })
  declare sheet: string

  @flags.string({
    description:
      'Order of day, month and year in dates such as 03/04/2026: dmy, mdy or iso (year first). Default: as the values of each column show',
  })
  declare dates: string

  @flags.string({
    description: 'Time zone of times without an offset, as in Europe/Berlin. Default: UTC',
  })
  declare zone: string

  @flags.boolean({ description: 'Validate every row, and write none' })
  declare dryRun: boolean

  @flags.boolean({ description: 'Leave out invalid rows instead of writing none' })
  declare skipFaulty: boolean

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    const { importByConsole } = await import('../import/import_by_console.js')
    const site = await this.site()
    const path = resolve(this.file)
    const { counts, isWritten, size } = await importByConsole(site, {
      model: this.model,
      path,
      name: basename(path),
      key: this.key,
      dates: this.dates,
      zone: this.zone,
      sheet: this.sheet,
      heading: this.heading,
      dryRun: this.dryRun ?? false,
      skipInvalid: this.skipFaulty ?? false,
      onProgress: (rows) => this.#printProgress(rows),
      planned: (plan) => this.#tellPlan(plan),
    })
    this.#endBar()
    if (this.json) this.printJson(counts)
    else this.#print(counts, isWritten)
    if (counts.faulty > 0 && !this.skipFaulty) this.exitCode = 1
    if (size === 0) this.logger.warning('The file has no rows')
  }

  #rows = 0
  #isDrawn = false

  #printProgress(rows: number) {
    if (this.json) return
    if (process.stdout.isTTY) {
      const filled = (rows / ROWS_A_LINE) % 1
      const bar = '#'.repeat(Math.round(filled * BAR)).padEnd(BAR, '.')
      process.stdout.write(`\r[${bar}] ${groupedNumber(rows)} rows`)
      this.#isDrawn = true
    } else if (Math.floor(rows / ROWS_A_LINE) > Math.floor(this.#rows / ROWS_A_LINE)) {
      this.print(`${groupedNumber(rows)} rows read`)
    }
    this.#rows = rows
  }

  #tellPlan({ key, leftOut }: ConsolePlan) {
    if (this.json) return
    if (leftOut) this.print(`Left out, as no field has the name: ${leftOut}`)
    this.print(
      key.length > 0
        ? `Records are found by ${key.join(' and ')}`
        : 'Every row is a new record, as no column finds records'
    )
  }

  #endBar() {
    if (this.#isDrawn) process.stdout.write('\n')
  }

  #print({ faults, ...counts }: ImportCounts & { faults: ImportError[] }, isWritten: boolean) {
    for (const { line, field, message } of faults) {
      this.print(`Line ${line}${field ? `, ${field}` : ''}: ${message}`)
    }
    const { new: created, changed, unchanged, faulty: invalid } = counts
    const of = groupedNumber
    this.print(
      `${of(created)} new, ${of(changed)} changed, ${of(unchanged)} unchanged, ${of(invalid)} invalid`
    )
    if (isWritten) this.logger.success('Imported')
    else if (this.dryRun) this.print('Nothing was written, as this was a dry run')
    else if (invalid > 0) {
      throw new CommandFailure(
        'Nothing was written, as rows are invalid: --skip-faulty leaves them out'
      )
    } else this.print('Nothing had to be written')
  }
}
