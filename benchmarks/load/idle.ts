/*
 * A server that has nothing to do: how late its event loop comes is the machine's doing.
 */
import { createServer } from 'node:http'

createServer((_request, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1')
