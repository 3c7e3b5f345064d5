#!/usr/bin/env python3
"""Makes man pages, and completion for bash and zsh, of what tools print with --help.

    utils/gen-man.py --out=DIR TOOL ..

--help is the one source: groups of options with their values, and sections of terms or examples. Files are written
where they are in a prefix's share folder:

    DIR/man/man1/NAME.1
    DIR/bash-completion/completions/NAME
    DIR/zsh/site-functions/_NAME

The date in the pages is SOURCE_DATE_EPOCH or today. What does not look like the --help of these tools is an error.
"""

import argparse
import datetime
import os
import re
import subprocess
import sys

# Values that are files or folders, by how --help calls them.
FILES = re.compile(r"(?:^|=)(?:FILE|PATH|PROGRAM)(?:\.|$)")
FOLDERS = ("FOLDER", "DIR")
# "1, 2, 4 or 8" and "ptx, cubin or obj", at the start of a text or behind a colon.
LISTED = re.compile(r"(?:^|: )((?:[\w.-]+, )+[\w.-]+ or [\w.-]+)(?:[;.]|$)")
RANGE = re.compile(r"\b(\d) to (\d)\b")


class Option:
    """`--emit=FORM`, `-o FILE`, `-O<N>` or `-w`."""

    def __init__(self, term, text):
        self.term, self.text = term, text
        found = re.fullmatch(r"(-[^\s=<]*)(?:(=| )(.+)|<(\w+)>)?", term)
        if not found:
            raise ValueError("'%s' is no option" % term)
        self.name = found.group(1)
        self.value = found.group(3) or found.group(4)
        self.separator = found.group(2) or ""

    @property
    def choices(self):
        """The values, where there are few."""
        if not self.value:
            return []
        if "|" in self.value and "[" not in self.value:
            return [choice for choice in self.value.split("|") if not choice.isupper()]
        listed = LISTED.search(self.text)
        if listed and not re.search(r"[,=\[]", self.value):
            return listed.group(1).replace(" or ", ", ").split(", ")
        span = RANGE.search(self.text)
        if span and not self.separator:
            return [str(number) for number in range(int(span.group(1)), int(span.group(2)) + 1)]
        return []

    @property
    def kind(self):
        """What else a value can be: file, folder, or nothing that a shell knows."""
        if self.value and FILES.search(self.value):
            return "file"
        return "folder" if self.value in FOLDERS else ""


class Section:
    """A title, and options, terms with texts, or lines as they are."""

    def __init__(self, title):
        self.title, self.entries, self.lines = title, [], []

    @property
    def options(self):
        return [entry for entry in self.entries if isinstance(entry, Option)]


class Help:
    def __init__(self, tool):
        self.name = os.path.basename(tool)
        text = run(tool, "--help")
        self.version = run(tool, "--version").split()[1]
        blocks = text.rstrip().split("\n\n")
        start = re.match(r"OVERVIEW: (.+)\n\nUSAGE: (.+)\n", text)
        if not start:
            raise ValueError("--help does not begin with OVERVIEW and USAGE")
        self.overview, self.usage = start.groups()
        lines = text.splitlines()
        # Texts start in one column, in which all lines are that go on with one.
        self.column = min((len(line) - len(line.lstrip()) for line in lines if line.startswith(" " * 9)), default=0)
        self.sections = [self.read_section(block.splitlines()) for block in blocks[2:]]

    def read_section(self, lines):
        if not re.fullmatch(r"[A-Z].*:", lines[0]):
            raise ValueError("'%s' is no title of a section" % lines[0])
        section = Section(lines[0][:-1])
        if section.title == "EXAMPLES":
            section.lines = [line[2:] for line in lines[1:]]
            return section
        terms = []
        for line in lines[1:]:
            if line.startswith(" " * self.column) and terms:
                terms[-1][1].append(line.strip())
            elif not re.match(r"  \S", line):
                raise ValueError("'%s' is no entry of %s" % (line, section.title))
            elif len(line) > self.column and line[self.column - 2:self.column] == "  ":
                terms.append((line[:self.column].strip(), [line[self.column:].strip()]))
            else:
                terms.append((line.strip(), []))
        is_options = all(term.startswith("-") for term, _ in terms)
        for term, texts in terms:
            section.entries.append(Option(term, " ".join(texts)) if is_options else (term, " ".join(texts)))
        return section

    @property
    def options(self):
        return [option for section in self.sections for option in section.options]

    @property
    def takes_kernels(self):
        return "file.py" in self.usage


def run(tool, option):
    environment = dict(os.environ, LC_ALL="C")
    try:
        return subprocess.run([tool, option], check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    except (OSError, subprocess.CalledProcessError) as problem:
        raise ValueError("%s failed: %s" % (option, problem)) from None


# ===------------------------------------------------------------------------------------------------
# Man pages
# ===------------------------------------------------------------------------------------------------

TROFF = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}


def troff(text):
    return re.sub(r"[\\'`^~-]", lambda found: TROFF[found.group()], text)


def man_term(entry):
    """The line of a term: names bold, values in italics."""
    if not isinstance(entry, Option):
        return "\\fB%s\\fR" % troff(entry[0])
    text = "\\fB%s%s\\fR" % (troff(entry.name), entry.separator.strip())
    if entry.value:
        text += "%s\\fI%s\\fR" % (" " if entry.separator == " " else "", troff(entry.value))
    return text


def man_section(section, heading):
    lines = [".%s %s" % (heading, troff(section.title).replace('"', "\\(dq"))]
    if heading == "SH" and " " in section.title:
        lines[0] = '.SH "%s"' % troff(section.title)
    elif heading == "SS":
        lines[0] = '.SS "%s"' % troff(section.title)
    if section.lines:
        lines += [".nf"] + ["\\&" + troff(line) for line in section.lines] + [".fi"]
    for entry in section.entries:
        text = entry.text if isinstance(entry, Option) else entry[1]
        lines += [".TP", man_term(entry), "\\&" + troff(text)]
    return lines


def man_page(page, others, date):
    lines = [
        '.\\" Made by utils/gen-man.py of what %s --help prints.' % page.name,
        '.TH %s 1 %s "tilec %s" "User Commands"' % (page.name.upper(), date, page.version),
        ".SH NAME",
        "%s \\- %s" % (troff(page.name), troff(page.overview)),
        ".SH SYNOPSIS",
        "\\fB%s\\fR %s" % (troff(page.name), troff(page.usage.split(" ", 1)[1])),
        ".SH DESCRIPTION",
        "\\fB%s\\fR %s." % (troff(page.name), troff(page.overview)),
        ".SH OPTIONS",
    ]
    for section in page.sections:
        if section.options:
            lines += man_section(section, "SS")
    for section in page.sections:
        if not section.options:
            lines += man_section(section, "SH")
    if others:
        lines += ['.SH "SEE ALSO"',
                  ",\n".join("\\fB%s\\fR(1)" % troff(name) for name in others)]
    return "\n".join(lines) + "\n"


# ===------------------------------------------------------------------------------------------------
# Completion
# ===------------------------------------------------------------------------------------------------

BASH = """# Completion of {name} for bash. Made by utils/gen-man.py of what {name} --help prints.

_{function}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} option=
  # bash takes --name=value for three words.
  if [[ $current == = ]]; then
    option=$before current=
  elif [[ $before == = && $COMP_CWORD -gt 1 ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 2]}}
  elif [[ $before == -* ]]; then
    option=$before
  fi
  COMPREPLY=()
  case $option in
{values}
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "{options}" -- "$current")
    [[ ${{#COMPREPLY[@]}} -ne 1 || ${{COMPREPLY[0]}} != *= ]] || compopt -o nospace 2> /dev/null
    return
  fi
{arguments}
}}
complete -F _{function} {name}
"""

BASH_FILES = """compopt -o filenames 2> /dev/null
{indent}mapfile -t COMPREPLY < <(compgen {what} -- "$current")"""


def bash_completion(page):
    names, actions = [], {}
    for option in page.options:
        if option.value and not option.separator:  # -O<N>
            names += [option.name + choice for choice in option.choices]
            continue
        names.append(option.name + option.separator.strip())
        if not option.value:
            continue
        action = ":"
        if option.choices:
            action = 'mapfile -t COMPREPLY < <(compgen -W "%s" -- "$current")' % " ".join(option.choices)
        elif option.kind:
            action = BASH_FILES.format(indent=" " * 6, what="-f" if option.kind == "file" else "-d")
        actions.setdefault(action, []).append(option.name)
    values = ["    %s)\n      %s\n      return\n      ;;" % (" | ".join(options), action)
              for action, options in actions.items()]
    arguments = "  :"
    if page.takes_kernels:
        arguments = "  " + BASH_FILES.format(indent="  ", what="-d") + \
            "\n  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.py' -- \"$current\")"
    return BASH.format(name=page.name, function=page.name.replace("-", "_"), values="\n".join(values),
                       options=" ".join(names), arguments=arguments)


def zsh_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def first_part(text):
    """What an option does, without defaults and details."""
    text = text.split(";")[0].split(". ")[0]
    return text[:text.rindex("(")].rstrip() if text.count("(") > text.count(")") else text


def zsh_completion(page):
    specs = []
    for option in page.options:
        text = re.sub(r"([\[\]\\])", r"\\\1", first_part(option.text))
        spec = option.name
        if option.value:
            # What follows =, what is the next word or the rest of this one, and what can only be that.
            spec = "*" + spec + {"=": "=", " ": "+", "": "-"}[option.separator]
        spec += "[%s]" % text
        if option.value:
            action = {"file": "_files", "folder": "_files -/", "": " "}[option.kind]
            if option.choices:
                action = "(%s)" % " ".join(option.choices)
            spec += ":%s:%s" % (option.value.replace("\\", "\\\\").replace(":", "\\:"), action)
        specs.append(zsh_quote(spec))
    if page.takes_kernels:
        specs.append(zsh_quote('*:kernel file:_files -g "*.py"'))
    return "#compdef %s\n# Made by utils/gen-man.py of what %s --help prints.\n\n_arguments \\\n  %s\n" % (
        page.name, page.name, " \\\n  ".join(specs))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder of the files")
    parser.add_argument("--see-also", default="", help="names of other pages, with commas; those of the other tools")
    parser.add_argument("tools", nargs="+", metavar="TOOL", help="programs with --help and --version")
    arguments = parser.parse_args()
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.timezone.utc)
    if epoch:
        now = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    names = [os.path.basename(tool) for tool in arguments.tools]
    names += [name for name in arguments.see_also.split(",") if name]
    for tool in arguments.tools:
        try:
            page = Help(tool)
        except ValueError as problem:
            sys.exit("error: %s: %s" % (tool, problem))
        others = [name for name in names if name != page.name]
        for path, text in (("man/man1/%s.1", man_page(page, others, now.strftime("%Y-%m-%d"))),
                           ("bash-completion/completions/%s", bash_completion(page)),
                           ("zsh/site-functions/_%s", zsh_completion(page))):
            path = os.path.join(arguments.out, path % page.name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
