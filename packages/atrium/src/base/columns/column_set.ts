import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { listed, ValueError } from '../errors.js'
import { writeJson } from '../values/json.js'
import { versionOfJson } from '../values/digest.js'
import { attributeValue } from '../values/to_api.js'
import { Column } from './column.js'

/** Columns of a model, which can be found by any of their names. */
export class ColumnSet {
  readonly all: readonly Column[]
  readonly #model: string

  /**
   * @throws ValueError  when two columns have the same API name
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

  /** Finds a column by attribute name or else by API name, as used in schemas. */
  find(name: string): Column | undefined {
    return (
      this.all.find((column) => column.attribute === name) ??
      this.all.find((column) => column.apiName === name)
    )
  }

  /** Finds a column by any of its names, including the one in the table, as used in settings. */
  findByAnyName(name: string): Column | undefined {
    return this.find(name) ?? this.all.find((column) => column.name === name)
  }

  /**
   * Returns the column that a setting names. Without a setting, returns the column with the default name, if there is
   * one.
   *
   * @throws ValueError  when the setting contains the name of a column that does not exist
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
   * Returns the same columns, with more of them hidden, in all rows or in some.
   *
   * @param hidden  API names of columns that are hidden in all rows
   * @param mixed   API names of columns that are null in some rows; keys are never hidden, because they identify the
   *   record
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

  /** The columns that responses are allowed to show. */
  get visible(): Column[] {
    return this.all.filter((column) => !column.hidden)
  }

  /**
   * Returns the version of a record's visible columns, including those that responses omit. Hidden columns are left
   * out: callers see the version, and must not be able to guess hidden values from it.
   */
  versionOf(record: LucidRow): string {
    const attributes = record as unknown as Record<string, unknown>
    const values = this.visible.map((column) => attributeValue(column, attributes))
    return versionOfJson(writeJson(values))
  }
}
