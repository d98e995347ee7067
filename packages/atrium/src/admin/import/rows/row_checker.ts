import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { endLongTurn } from '#base/event_loop'
import type { AdminSite } from '../../admin_site.js'
import type { FileRow } from '../../sheets/file_shape.js'
import type { ImportSpec } from '../import_spec.js'
import { UniqueValues } from './check_unique.js'
import { ReferredRows } from './check_referred.js'
import { draftOf, sortFaults, type Draft } from './draft.js'
import { findRecords, noteKeys, type SeenKeys } from './find_records.js'
import { findTitles } from './find_titles.js'
import { judgeValues } from './judge_values.js'
import { readCells } from './read_cells.js'
import { tryWrites } from './try_writes.js'

/**
 * Judges the rows of a file, some hundred together, in their order: a row is compared with those before it. [D3]
 */
export class RowChecker {
  readonly #seen: SeenKeys = new Map()
  readonly #unique: UniqueValues
  readonly #referred: ReferredRows

  constructor(
    private readonly site: AdminSite,
    private spec: ImportSpec
  ) {
    const { resource } = spec.importer.view
    this.#unique = new UniqueValues(resource)
    this.#referred = new ReferredRows(resource)
  }

  /** Goes on with the permissions that the importer has by now. */
  continueAs(spec: ImportSpec): void {
    this.spec = spec
  }

  /** Passes over rows that are done already: a later one must not have the key of one of them. */
  async skip(rows: readonly FileRow[], client: QueryClientContract): Promise<void> {
    const { site, spec } = this
    if (spec.key.length === 0) return
    const drafts = rows.map(draftOf)
    for (const draft of drafts) readCells(site, spec, draft)
    await findTitles(site, spec, drafts, client)
    noteKeys(site, spec.key, drafts, this.#seen)
  }

  /**
   * @param client  to read with; that of a transaction in which the rows are written then: their records are locked
   * @param isTrial  true to ask policy, scope and own code, too, as nothing will be written
   */
  async check(
    rows: readonly FileRow[],
    client: QueryClientContract,
    isTrial: boolean
  ): Promise<Draft[]> {
    const { site, spec } = this
    const drafts = rows.map(draftOf)
    for (const draft of drafts) readCells(site, spec, draft)
    await endLongTurn()
    await findTitles(site, spec, drafts, client)
    await findRecords(site, spec, drafts, this.#seen, client, !isTrial)
    for (const draft of drafts) {
      await endLongTurn()
      await judgeValues(site, spec, draft)
    }
    await endLongTurn()
    await this.#unique.check(site, spec, drafts, client)
    await this.#referred.check(site, spec, drafts, client)
    if (isTrial) await tryWrites(site, spec, drafts, client)
    const names = spec.columns.map(({ field }) => field.name)
    for (const draft of drafts) sortFaults(draft, names)
    return drafts
  }
}
