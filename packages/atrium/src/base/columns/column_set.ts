import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { listed, ValueError } from '../errors.js'
import { writeJson } from '../values/json.js'
import { versionOfJson } from '../values/digest.js'
import { attributeValue } from '../values/to_api.js'
import { Column } from './column.js'

/**
 * The columns of a model, found by any of their names.
 */
export class ColumnSet {
  readonly all: readonly Column[]
  readonly #model: string

  /**
   * @throws ValueError  when two columns have the same name in the API
   */
  constructor(
    model: LucidModel,
    columns: readonly Column[] = [...model.$columnsDefinitions].map(
      ([attribute, definition]) => new Column(model, attribute, definition)
    )
  ) {
    this.#model = model.name
    this.all = columns
    for (const [apiName, alike] of Map.groupBy(this.all, (column) => column.apiName)) {
      if (alike.length > 1) {
        throw new ValueError(
          `${model.name}: the columns ${listed(alike.map((column) => column.attribute))} have the same name '${apiName}' in the API; give one of them another serializeAs`
        )
      }
    }
  }

  /** Finds a column by attribute name or API name, the attribute first, as schemas name columns. [P6] */
  find(name: string): Column | undefined {
    return (
      this.all.find((column) => column.attribute === name) ??
      this.all.find((column) => column.apiName === name)
    )
  }

  /** Finds a column by any of its names, the table's included, as settings name columns. */
  findByAnyName(name: string): Column | undefined {
    return this.find(name) ?? this.all.find((column) => column.name === name)
  }

  /**
   * The column that a setting names; the usual one without a setting.
   *
   * @throws ValueError  when the setting names a column that does not exist
   */
  fromSetting(option: string, setting: string | undefined, usual: string): Column | undefined {
    if (setting === undefined) return this.findByAnyName(usual)
    const column = this.findByAnyName(setting)
    if (!column) {
      throw new ValueError(
        `${this.#model}: ${option} names '${setting}', which is not a column of the model; its columns are ${listed(this.all.map((one) => one.apiName))}`
      )
    }
    return column
  }

  /**
   * The same columns, of which more are hidden, in all rows or in some.
   *
   * @param hidden  names in the API
   * @param mixed   of those that are null in some rows; a key is never among them, as it identifies the record
   */
  project(
    model: LucidModel,
    hidden: ReadonlySet<string>,
    mixed: { has(name: string): boolean }
  ): ColumnSet {
    const columns = this.all.map((one) => {
      if (hidden.has(one.apiName)) return one.asHidden()
      return mixed.has(one.apiName) && !one.isPrimary ? one.asMixed() : one
    })
    return new ColumnSet(model, columns)
  }

  /**
   * The columns that responses may show.
   */
  get visible(): Column[] {
    return this.all.filter((column) => !column.hidden)
  }

  /**
   * The version of a record's visible columns, including those that responses leave out. Hidden columns do
   * not count: callers see the version, and must not be able to guess values from it. [B25]
   */
  versionOf(record: LucidRow): string {
    const attributes = record as unknown as Record<string, unknown>
    const values = this.visible.map((column) => attributeValue(column, attributes))
    return versionOfJson(writeJson(values))
  }
}
