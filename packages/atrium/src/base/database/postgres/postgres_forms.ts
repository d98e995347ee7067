import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { textOf } from '../../values/numbers.js'
import {
  connectionForms,
  paddedDecimal,
  type ConnectionForms,
  type Conversions,
} from '../connection_forms.js'
import { EXACT_FORMS, NUMERIC, prepare } from './postgres_connection.js'

type Parse = (text: string) => unknown

/** The part of `pg.types` that is used here. */
interface Types {
  getTypeParser(oid: number, format?: string): Parse
}

interface Field {
  name: string
  dataTypeID: number
  dataTypeModifier: number
}

/** Returns the forms of an ordinary connection; null for a connection of `postgresConnection`. */
export function postgresForms(client: QueryClientContract): ConnectionForms | null {
  return connectionForms(client, ({ connection, pool }) =>
    pool?.afterCreate === prepare
      ? null
      : new PostgresForms(connection?.types ?? client.getReadClient().client.driver.types)
  )
}

class PostgresForms implements ConnectionForms {
  constructor(private readonly types: Types) {}

  options(connection: Types = this.types): object {
    const getTypeParser = (oid: number, format: string = 'text') =>
      (format === 'text' && EXACT_FORMS.get(oid)) || connection.getTypeParser(oid, format)
    return { types: { getTypeParser } }
  }

  conversions(fields: readonly Field[]): Conversions {
    return fields
      .filter(({ dataTypeID }) => EXACT_FORMS.has(dataTypeID))
      .map(({ name, dataTypeID, dataTypeModifier }) => {
        const parse = this.types.getTypeParser(dataTypeID, 'text')
        if (dataTypeID !== NUMERIC) return [name, (value: unknown) => parse(String(value))]
        const scale = dataTypeModifier < 0 ? 0 : (dataTypeModifier - 4) & 0xffff
        return [name, (value: unknown) => parse(paddedDecimal(textOf(value), scale))]
      })
  }
}
