/* Database of the test run, for the few tests that depend on it. */
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Knex } from 'knex'
import { dialectOf } from '#base/database/dialects'

const kind = process.env.DB_CONNECTION

export const onSqlite = kind === 'sqlite' || kind === 'better-sqlite3'
export const onPostgres = kind === 'postgres'
export const onMysql = kind === 'mysql'

/** Name of the connection with all tables */
export const MAIN = String(kind)

/**
 * Another configured connection. On SQLite it reads the same tables; elsewhere it can't be queried.
 * (A connection of another driver must not open this file: SQLite's two libraries do not see each
 * other's locks in one process, and the first to close releases those of the other.)
 */
export const ANOTHER = onSqlite ? `${MAIN}_readers` : onPostgres ? 'mysql' : 'postgres'

/** A boolean in a raw row */
export const NO = onPostgres ? false : 0
export const YES = onPostgres ? true : 1

/** Selects the value for the database of the run. */
export function each<Value>(values: { sqlite: Value; postgres: Value; mysql: Value }): Value {
  if (onPostgres) return values.postgres
  return onMysql ? values.mysql : values.sqlite
}

/**
 * Inserts a row with a generated `id`.
 *
 * @returns its id
 */
export async function insertRow(table: string, row: Record<string, unknown>): Promise<number> {
  const client = db.connection()
  return Number(await dialectOf(client).insertRow(client, table, row))
}

/**
 * Makes the database refuse new rows of a table.
 *
 * @returns a function that restores the table
 */
export async function refuseInserts(table: string): Promise<() => Promise<void>> {
  if (onPostgres) {
    await db.rawQuery(
      `create or replace function refuse_row() returns trigger language plpgsql as
       $$ begin raise exception 'refused'; end $$`
    )
  }
  const action = each({
    sqlite: "begin select raise(abort, 'refused'); end",
    postgres: 'for each row execute function refuse_row()',
    mysql: "for each row signal sqlstate '45000' set message_text = 'refused'",
  })
  await db.rawQuery(`create trigger refuse_rows before insert on ${table} ${action}`)
  const on = onPostgres ? ` on ${table}` : ''
  return async () => void (await db.rawQuery(`drop trigger if exists refuse_rows${on}`))
}

/**
 * Adds the trigger `on_write` to a table; it ends with the table.
 *
 * @param when  as in `before insert`
 * @param body  its statement, in the language of the database
 */
export async function addTrigger(table: string, when: string, body: string): Promise<void> {
  if (onPostgres) {
    const row = when.endsWith('delete') ? 'old' : 'new'
    await db.rawQuery(
      `create or replace function on_write() returns trigger language plpgsql as
       $$ begin ${body}; return ${row}; end $$`
    )
  }
  const action = each({
    sqlite: `begin ${body}; end`,
    postgres: 'for each row execute function on_write()',
    mysql: `for each row ${body}`,
  })
  await db.rawQuery(`create trigger on_write ${when} on ${table} ${action}`)
}

/** Runs work that foreign keys would refuse. */
export async function withoutForeignKeys(work: (client: QueryClientContract) => Promise<unknown>) {
  const [off, on] = each({
    sqlite: ['pragma foreign_keys = off', 'pragma foreign_keys = on'],
    postgres: ['set local session_replication_role = replica', 'select 1'],
    mysql: ['set foreign_key_checks = 0', 'set foreign_key_checks = 1'],
  })
  /* SQLite's pragma has no effect in a transaction; there is a single writing connection. */
  if (onSqlite) await db.rawQuery(off)
  await db.transaction(async (client) => {
    if (!onSqlite) await client.rawQuery(off)
    await work(client)
    if (!onSqlite) await client.rawQuery(on)
  })
  if (onSqlite) await db.rawQuery(on)
}

/** A generated 64-bit key. */
export function bigKey(table: Knex.CreateTableBuilder, name: string = 'id') {
  /* Knex makes it unsigned on MySQL, which excludes negative keys. */
  if (onMysql) table.specificType(name, 'bigint not null auto_increment primary key')
  else table.bigIncrements(name)
}

/** Column type with a case-insensitive collation. */
export function caseless(length: number): string {
  const collation = each({ sqlite: 'nocase', postgres: '"nocase"', mysql: 'utf8mb4_general_ci' })
  return `varchar(${length}) collate ${collation}`
}

/** Resets the key counters of all empty tables. */
export async function restartCounters() {
  if (onSqlite) return void (await db.from('sqlite_sequence').delete())
  if (onPostgres) {
    const one = "format('%I.%I', schemaname, sequencename)::regclass"
    return void (await db.rawQuery(`select setval(${one}, start_value, false) from pg_sequences`))
  }
  for (const table of await db.connection().getAllTables()) {
    await db.rawQuery('alter table ?? auto_increment = 1', [table])
  }
}

/** Creates what the tables of the fixtures depend on. */
export function prepareFixtures(schema: Knex.SchemaBuilder) {
  if (!onPostgres) return
  schema.raw(
    `create collation nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`
  )
}

/** Makes a key counter follow given keys, as other databases do by themselves. */
export function followGivenKeys(schema: Knex.SchemaBuilder) {
  if (!onPostgres) return
  schema.raw(`
    create function follow_given_key() returns trigger language plpgsql as $$
    declare
      counter text := pg_get_serial_sequence(tg_relid::regclass::text, 'id');
      latest bigint := (select coalesce(last_value, 0) from pg_sequences
        where counter = schemaname || '.' || quote_ident(sequencename));
      given bigint := (select max(id) from added);
    begin
      if given > latest then perform setval(counter, given); end if;
      return null;
    end $$;
    do $$
    declare named text;
    begin
      for named in select oid::regclass::text from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace
          and exists (select 1 from pg_attribute where attrelid = pg_class.oid and attname = 'id')
      loop
        if pg_get_serial_sequence(named, 'id') is not null then
          execute format('create trigger follow_given_key after insert on %s
            referencing new table as added
            for each statement execute function follow_given_key()', named);
        end if;
      end loop;
    end $$`)
}
