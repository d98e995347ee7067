import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchFolder } from './application.js'
import { firstNumber, ONCE, type Load, type LoadRequest, type LoadResult } from './load.js'

const run = promisify(execFile)

export async function loadByWrk({
  origin,
  requests,
  connections,
  seconds,
}: Load): Promise<LoadResult> {
  const folder = scratchFolder()
  const script = join(folder.path, 'load.lua')
  writeFileSync(script, scriptFor(requests))
  try {
    const options = ['-t1', '--timeout', '30s', `-c${connections}`, `-d${seconds}s`, '-s', script]
    const { stdout } = await run('wrk', [...options, origin])
    const [responded, microseconds, p99, failed] = /^RESULT (.+)$/m.exec(stdout)![1].split(' ')
    return {
      responded: Number(responded),
      failed: Number(failed),
      perSecond: Number(responded) / (Number(microseconds) / 1e6),
      p99: Number(p99) / 1000,
    }
  } finally {
    folder.remove()
  }
}

/** The requests are serialized in advance, so that wrk has little to do while it measures. */
function scriptFor(requests: readonly LoadRequest[]): string {
  const rows = requests.map(({ method, path, headers = {}, body }) => {
    const pairs = Object.entries(headers).map(([name, value]) => `[${lua(name)}]=${lua(value)}`)
    return `{${lua(method)},${lua(path)},{${pairs.join(',')}},${body === undefined ? 'nil' : lua(body)}}`
  })
  return `
local rows = {${rows.join(',\n')}}
local ready = {}
local count = 0
local number = ${firstNumber()}
function init()
  for i, row in ipairs(rows) do ready[i] = wrk.format(row[1], row[2], row[3], row[4]) end
end
function request()
  count = count + 1
  local text = ready[(count - 1) % #ready + 1]
  local from, to = text:find("${ONCE}", 1, true)
  if not from then return text end
  number = (number + 1) % ${10 ** ONCE.length}
  return text:sub(1, from - 1) .. string.format("%0${ONCE.length}d", number) .. text:sub(to + 1)
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("\\nRESULT %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
`
}

function lua(text: string): string {
  const bytes = [...Buffer.from(text)]
  return `"${bytes.map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`
}
